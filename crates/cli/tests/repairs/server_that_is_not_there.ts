import * as github from './servers/github';

const issues = await github.listIssues({ repo: 'a/b' });
return issues.length;
