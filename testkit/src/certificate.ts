import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** Makes a certificate, by default for 127.0.0.1, that nobody vouches for but itself; answers the files, PEM. */
export const makeCertificate = (
  folder: string,
  name: string,
  whose = 'IP:127.0.0.1',
): { cert: string; key: string } => {
  const [cert, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)]
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=${whose}`]
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, ...subject], {
    stdio: 'ignore',
  })
  return { cert, key }
}
