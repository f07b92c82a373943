// Declarations of a real server's tools (GitHub, 26 functions), as the type checker gets them.
import type { Issue, IssueList, Repository, ToolOptions } from "./types";
export type { Issue, IssueList, Repository } from "./types";

/** Create or update a single file in a GitHub repository */
export declare function createOrUpdateFile(input: { owner: string; repo: string; path: string; content: string; message: string; branch: string; sha?: string }, options?: ToolOptions): Promise<unknown>;
/** Search for GitHub repositories */
export declare function searchRepositories(input: { query: string; page?: number; perPage?: number }, options?: ToolOptions): Promise<{ total_count: number; items: Repository[] }>;
/** Create a new GitHub repository in your account */
export declare function createRepository(input: { name: string; description?: string; private?: boolean; autoInit?: boolean }, options?: ToolOptions): Promise<unknown>;
/** Get the contents of a file or directory from a GitHub repository */
export declare function getFileContents(input: { owner: string; repo: string; path: string; branch?: string }, options?: ToolOptions): Promise<unknown>;
/** Push multiple files to a GitHub repository in a single commit */
export declare function pushFiles(input: { owner: string; repo: string; branch: string; files: Array<{ path: string; content: string }>; message: string }, options?: ToolOptions): Promise<unknown>;
/** Create a new issue in a GitHub repository */
export declare function createIssue(input: { owner: string; repo: string; title: string; body?: string; assignees?: string[]; milestone?: number; labels?: string[] }, options?: ToolOptions): Promise<Issue>;
/** Create a new pull request in a GitHub repository */
export declare function createPullRequest(input: { owner: string; repo: string; title: string; body?: string; head: string; base: string; draft?: boolean; maintainer_can_modify?: boolean }, options?: ToolOptions): Promise<unknown>;
/** Fork a GitHub repository to your account or specified organization */
export declare function forkRepository(input: { owner: string; repo: string; organization?: string }, options?: ToolOptions): Promise<unknown>;
/** Create a new branch in a GitHub repository */
export declare function createBranch(input: { owner: string; repo: string; branch: string; from_branch?: string }, options?: ToolOptions): Promise<unknown>;
/** Get list of commits of a branch in a GitHub repository */
export declare function listCommits(input: { owner: string; repo: string; sha?: string; page?: number; perPage?: number }, options?: ToolOptions): Promise<unknown>;
/** List issues in a GitHub repository with filtering options */
export declare function listIssues(input: { owner: string; repo: string; direction?: "asc" | "desc"; labels?: string[]; page?: number; per_page?: number; since?: string; sort?: "created" | "updated" | "comments"; state?: "open" | "closed" | "all" }, options?: ToolOptions): Promise<Issue[]>;
/** Update an existing issue in a GitHub repository */
export declare function updateIssue(input: { owner: string; repo: string; issue_number: number; title?: string; body?: string; assignees?: string[]; milestone?: number; labels?: string[]; state?: "open" | "closed" }, options?: ToolOptions): Promise<unknown>;
/** Add a comment to an existing issue */
export declare function addIssueComment(input: { owner: string; repo: string; issue_number: number; body: string }, options?: ToolOptions): Promise<unknown>;
/** Search for code across GitHub repositories */
export declare function searchCode(input: { q: string; order?: "asc" | "desc"; page?: number; per_page?: number }, options?: ToolOptions): Promise<unknown>;
/** Search for issues and pull requests across GitHub repositories */
export declare function searchIssues(input: { q: string; order?: "asc" | "desc"; page?: number; per_page?: number; sort?: "comments" | "reactions" | "reactions-+1" | "reactions--1" | "reactions-smile" | "reactions-thinking_face" | "reactions-heart" | "reactions-tada" | "interactions" | "created" | "updated" }, options?: ToolOptions): Promise<IssueList>;
/** Search for users on GitHub */
export declare function searchUsers(input: { q: string; order?: "asc" | "desc"; page?: number; per_page?: number; sort?: "followers" | "repositories" | "joined" }, options?: ToolOptions): Promise<unknown>;
/** Get details of a specific issue in a GitHub repository. */
export declare function getIssue(input: { owner: string; repo: string; issue_number: number }, options?: ToolOptions): Promise<Issue>;
/** Get details of a specific pull request */
export declare function getPullRequest(input: { owner: string; repo: string; pull_number: number }, options?: ToolOptions): Promise<unknown>;
/** List and filter repository pull requests */
export declare function listPullRequests(input: { owner: string; repo: string; state?: "open" | "closed" | "all"; head?: string; base?: string; sort?: "created" | "updated" | "popularity" | "long-running"; direction?: "asc" | "desc"; per_page?: number; page?: number }, options?: ToolOptions): Promise<unknown>;
/** Create a review on a pull request */
export declare function createPullRequestReview(input: { owner: string; repo: string; pull_number: number; commit_id?: string; body: string; event: "APPROVE" | "REQUEST_CHANGES" | "COMMENT"; comments?: Array<{ path: string; position: number; body: string } | { path: string; line: number; body: string }> }, options?: ToolOptions): Promise<unknown>;
/** Merge a pull request */
export declare function mergePullRequest(input: { owner: string; repo: string; pull_number: number; commit_title?: string; commit_message?: string; merge_method?: "merge" | "squash" | "rebase" }, options?: ToolOptions): Promise<unknown>;
/** Get the list of files changed in a pull request */
export declare function getPullRequestFiles(input: { owner: string; repo: string; pull_number: number }, options?: ToolOptions): Promise<unknown>;
/** Get the combined status of all status checks for a pull request */
export declare function getPullRequestStatus(input: { owner: string; repo: string; pull_number: number }, options?: ToolOptions): Promise<unknown>;
/** Update a pull request branch with the latest changes from the base branch */
export declare function updatePullRequestBranch(input: { owner: string; repo: string; pull_number: number; expected_head_sha?: string }, options?: ToolOptions): Promise<unknown>;
/** Get the review comments on a pull request */
export declare function getPullRequestComments(input: { owner: string; repo: string; pull_number: number }, options?: ToolOptions): Promise<unknown>;
/** Get the reviews on a pull request */
export declare function getPullRequestReviews(input: { owner: string; repo: string; pull_number: number }, options?: ToolOptions): Promise<unknown>;
