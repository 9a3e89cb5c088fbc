declare module "picomatch" {
  export default function picomatch(
    pattern: string,
    options?: { readonly dot?: boolean; readonly posix?: boolean },
  ): (path: string) => boolean;
}
