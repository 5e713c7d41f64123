import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { TransferTimeoutError } from './outbound-http/errors.ts'

export interface TlsAddress {
  /** Host name, or IP address without brackets. */
  host: string
  port: number
}

/** The certificate that a TLS server presents. */
export interface ServerCertificate {
  /** Milliseconds since the Unix epoch. */
  validUntil: number
  /**
   * Why Node.js does not trust the certificate for this host, such as `DEPTH_ZERO_SELF_SIGNED_CERT`. Null if it trusts
   * the certificate.
   */
  untrustedReason: string | null
}

/** Node.js sets a string or an error, depending on the check that failed. */
const getReason = (error: unknown): string | null => {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : null
  return (error as NodeJS.ErrnoException).code ?? error.message
}

/**
 * Reads the certificate of a TLS server, also if it is not valid. Sends nothing after the handshake. OpenSSL limits the
 * size of the certificates to 100 kB.
 * @throws TransferTimeoutError if the handshake takes longer than `timeoutMs`, and errors of the network and of TLS
 */
export const readCertificate = ({ host, port }: TlsAddress, timeoutMs: number): Promise<ServerCertificate> =>
  new Promise((resolve, reject) => {
    // The certificate is only read. No data is exchanged over this connection.
    const socket = connect({ host, port, rejectUnauthorized: false, ...(isIP(host) === 0 && { servername: host }) })
    const finish = (report: () => void) => {
      clearTimeout(timer)
      socket.destroy()
      report()
    }
    const fail = (error: Error) => finish(() => reject(error))
    const timer = setTimeout(() => fail(new TransferTimeoutError('no TLS handshake in time', 'ETIMEDOUT')), timeoutMs)
    socket.on('error', fail).once('secureConnect', () => {
      const validUntil = Date.parse(socket.getPeerCertificate().valid_to)
      finish(() => resolve({ validUntil, untrustedReason: getReason(socket.authorizationError) }))
    })
  })
