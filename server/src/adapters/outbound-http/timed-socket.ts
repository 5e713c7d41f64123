import { connect, type Socket } from 'node:net'
import { TransferTimeoutError } from './errors.ts'

/**
 * Connects to an address that the operator configures, for a library with a protocol other than HTTP. The socket is
 * destroyed after `timeoutMs` in any case.
 *
 * @param done called once, either with the connected socket, or with the error and undefined
 */
export const connectFor = (
  timeoutMs: number,
  { port, host }: { port: number; host: string },
  done: (error: Error | null, socket: Socket | undefined) => void,
): void => {
  const socket = connect({ port, host })
  const giveUp = () => socket.destroy(new TransferTimeoutError(`The peer did not finish within ${timeoutMs} ms`))
  const timer = setTimeout(giveUp, timeoutMs)
  const fail = (error: Error) => done(error, undefined)
  socket.once('close', () => clearTimeout(timer))
  socket.once('error', fail)
  socket.once('connect', () => {
    socket.off('error', fail)
    done(null, socket)
  })
}
