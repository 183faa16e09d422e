/* The scripts that `saccade example` prints: src/cli/examples/NAME.py. */
#ifndef SAC_CLI_COMMANDS_EXAMPLE_H
#define SAC_CLI_COMMANDS_EXAMPLE_H

extern const char cli_example_hf[], cli_example_vit[], cli_example_vlm[];
extern const char cli_example_stable_diffusion[], cli_example_show_attend_tell[];

#endif
