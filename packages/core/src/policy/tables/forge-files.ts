/** What CI or the forge runs, or takes its orders from, when it is pushed; names as their documentation has them. */
export const FORGE_FILES = new RegExp(
  String.raw`(?:^|\/)(?:\.(?:github|gitlab|gitea|forgejo)\/(?:workflows|actions|ci)\/.+|\.(?:circleci|buildkite|woodpecker|semaphore|teamcity)\/.+|` +
    String.raw`[^/]*\.gitlab-ci\.ya?ml|\.(?:travis|drone|woodpecker|appveyor|cirrus|build|builds\/[^/]+)\.(?:ya?ml|star)|\.drone\.(?:jsonnet|star)|` +
    String.raw`(?:azure-pipelines[^/]*|bitbucket-pipelines|appveyor|codefresh|wercker|cloudbuild|buildspec|netlify|vercel|render|fly|` +
    String.raw`amplify|heroku|semaphore|shippable|codeship-steps|codemagic|bitrise)\.(?:ya?ml|toml|json)|` +
    String.raw`[Jj]enkinsfile[^/]*|CODEOWNERS|\.mergify\.ya?ml|\.(?:github|gitlab)\/[^/]+\.(?:ya?ml|json5?)|renovate\.json5?|\.renovaterc(?:\.json5?)?)$`,
);
