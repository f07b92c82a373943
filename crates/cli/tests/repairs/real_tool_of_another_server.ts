// needs: memory
return servers.memory.readTextFile({ path: 'notes.txt' });
