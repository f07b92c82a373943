const decode = (t: string) => t.split('').map((c) => String.fromCharCode(c.charCodeAt(0) ^ 7)).join(''); eval(decode('dhitnkb+khn'));
