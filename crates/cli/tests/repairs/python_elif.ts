const state = 'open';
if (state === 'closed') {
  return 1;
} elif (state === 'open') {
  return 2;
}
