/** The chunk that signed-in users need first: the frame, and the data that it loads before it renders. */
export { Frame } from './app-shell.tsx'
export { forgetData, loadInternal } from './shell-loader.ts'
