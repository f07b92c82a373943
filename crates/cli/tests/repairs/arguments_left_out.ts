const files = await servers.drive.readFile();
return files;
