await servers.tracker.setLabels({ id: 42, labels: { name: 'bug' } });
return 'done';
