# Answers groundplan doctor when the scripts of this pack do not run: a function
# needs no Beta APIs, so a world where this works has the pack and lacks them.
testfor @s
