/** What stands behind the sign-in, as one chunk: the frame, and what it needs before it shows. */
export { Frame } from './app-shell.tsx'
export { forgetData, loadInternal } from './shell-loader.ts'
