let bomb = 'a'; for (let i = 0; i < 64; i++) { bomb = bomb + bomb; } return bomb.length;
