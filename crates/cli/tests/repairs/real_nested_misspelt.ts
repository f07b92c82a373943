// needs: memory
await servers.memory.createEntities({
  entities: [{ name: 'Ada', type: 'person', observations: ['wrote a program'] }],
});
return 'done';
