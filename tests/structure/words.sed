# What the check of words passes over, taken out of each line: libzip's names
s/ZIP_SOURCE_TELL(_WRITE)?//g
# "Show, Attend and Tell", a paper's title, and the model_type, files and functions of that name
s/show(,? |\\?[-_])attend(,? and |\\?[-_])tell//Ig
# keys of files that were saved: PNGs of earlier versions, and trained weights
s/"(spoken language|said|unheard)"//g
# a word of captions that name no thing
s/"nobody"//
# texts of tests for English
s/'?Hello'? he said|hello he said|"he said: //g
