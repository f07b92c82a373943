const page = await servers.tracker.listIsues({ limit: 1 });
return page;
