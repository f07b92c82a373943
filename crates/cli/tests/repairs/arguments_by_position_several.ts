await servers.tracker.addComment(42, 'Looks good');
return 'done';
