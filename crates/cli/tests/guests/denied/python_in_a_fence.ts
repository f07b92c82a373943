```python
// expect: error program.syntax: the program does not parse: the program is fenced as `python`, TypeScript is expected
// language: typescript
// hint: the run suggests: write the program in TypeScript or JavaScript
from servers import crm
print(crm.get_lead(id="L-0001"))
```
