declare module '*.svg' {
  const url: string;
  // eslint-disable-next-line import/no-default-export -- how the bundler hands out addresses of files
  export default url;
}

declare module '*.css';
