/** What stands behind the sign-in, as one chunk: the frame, and what it needs before it shows. */
export { Frame } from './frame.tsx'
export { forgetData, loadInternal } from './internal-data.ts'
