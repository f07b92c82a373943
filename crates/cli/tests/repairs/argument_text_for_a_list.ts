await servers.tracker.setLabels({ id: 42, labels: 'bug' });
return 'done';
