/* A residual network that sees (ResNet, He et al. 2016), of bottlenecks as torchvision stacks them,
 * without its last two layers: 50, 101, 152 layers, or any other number that there are tensors for.
 */
#ifndef SAC_ARCHITECTURES_RESNET_H
#define SAC_ARCHITECTURES_RESNET_H

#include "nn/pass.h"
#include "pretrained/files/pretrained.h"

typedef struct sac_resnet sac_resnet;

/* Out of tensors that have the names of an nn.Sequential of torchvision's layers after `prefix`:
 * "0.weight", "1.running_mean", "4.0.conv1.weight" … The files are not needed afterwards. Fails as
 * sac_pretrained_tensor does; SAC_E_VALUE where there are no numbers. */
sac_status sac_resnet_create(const sac_pretrained *files, const char *prefix, sac_pass *pass,
                             sac_resnet **net, sac_error *error);
void sac_resnet_destroy(sac_resnet *net);       /* takes NULL */
size_t sac_resnet_width(const sac_resnet *net); /* D */

/* features [cells²,D] of pixels [3,height,width], both on the host: the last layer's, brought to a
 * grid of cells × cells. */
sac_status sac_resnet_see(const sac_resnet *net, sac_pass *pass, const float *pixels, size_t height,
                          size_t width, size_t cells, float *features, sac_error *error);

#endif
