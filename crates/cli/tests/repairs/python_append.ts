const ids: string[] = [];
ids.append('L-0001');
return ids;
