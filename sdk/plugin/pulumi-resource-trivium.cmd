@node "%~dp0pulumi-resource-trivium" %*
