// needs: memory
await servers.memory.createEntities({ entities: { name: 'Ada', entityType: 'person', observations: [] } });
return 'done';
