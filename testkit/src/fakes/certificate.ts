import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** Creates a self-signed certificate, by default for 127.0.0.1 and valid for 30 days. Returns the paths of the PEM files. */
export const createCertificate = (
  folder: string,
  name: string,
  subjectAltName = 'IP:127.0.0.1',
  days = 30,
): { cert: string; key: string } => {
  const [cert, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)]
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=${subjectAltName}`]
  const files = ['-keyout', key, '-out', cert]
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', `${days}`, ...files, ...subject], {
    stdio: 'ignore',
  })
  return { cert, key }
}
