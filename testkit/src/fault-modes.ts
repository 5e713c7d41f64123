import type { ServerResponse } from 'node:http'

/** `slow` never answers, `cut off` breaks off in the middle, `nonsense` answers with a page of something else. */
export type FaultMode = 'ok' | 'slow' | 'cut off' | 'nonsense'

/** How a server that is in no good mood answers. */
export const respondWithFault = (response: ServerResponse, mood: Exclude<FaultMode, 'ok'>): void => {
  if (mood === 'cut off') {
    response.writeHead(200, { 'content-length': '100000' })
    response.write('only the beginning of it', () => response.destroy())
  }
  if (mood === 'nonsense') response.writeHead(200, { 'content-type': 'text/html' }).end('<html>It works!</html>')
}
