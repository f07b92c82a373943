// expect: output "resolved twice"
return { then(resolve: (value: unknown) => void) { resolve({ then: (again: any) => again('resolved twice') }); } };
