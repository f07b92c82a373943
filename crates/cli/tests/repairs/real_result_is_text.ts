// needs: filesystem
const files = await servers.filesystem.listDirectory({ path: '.' });
return files.map((file) => file.name);
