// needs: filesystem
return await servers.filesystem.readTextFile({ path: '/etc/hostname' });
