import type { ServerResponse } from 'node:http'

/**
 * `slow` never responds, `cut off` closes the connection during the response, and `nonsense` responds with an unrelated
 * page.
 */
export type FaultMode = 'ok' | 'slow' | 'cut off' | 'nonsense'

/** Sends a faulty response. */
export const sendFaultyResponse = (response: ServerResponse, fault: Exclude<FaultMode, 'ok'>): void => {
  if (fault === 'cut off') {
    response.writeHead(200, { 'content-length': '100000' })
    response.write('only the beginning of it', () => response.destroy())
  }
  if (fault === 'nonsense') response.writeHead(200, { 'content-type': 'text/html' }).end('<html>It works!</html>')
}
