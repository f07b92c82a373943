// Types that several of the tools share.
export interface User { login: string; id: number }
export interface Label { id: number; name: string; color: string }
export interface Issue {
  number: number;
  title: string;
  state: "open" | "closed";
  body: string | null;
  user: User;
  labels: Label[];
  assignees: User[];
  created_at: string;
}
export interface IssueList { total_count: number; incomplete_results: boolean; items: Issue[] }
export interface Repository { id: number; name: string; full_name: string; owner: User; private: boolean; default_branch: string }
export interface ToolOptions { raw?: boolean }
