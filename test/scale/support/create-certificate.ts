import { execFileSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'

/** Creates a certificate for 127.0.0.1, of an authority of its own. Returns the paths of the key, which its owner may read, and of the certificate. */
export const createCertificate = (folder: string, name: string) => {
  const [key, certificate] = [join(folder, `${name}.key`), join(folder, `${name}.pem`)]
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1']
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1']
  execFileSync('openssl', ['req', ...kind, ...subject, '-keyout', key, '-out', certificate])
  chmodSync(key, 0o600)
  return { key, certificate }
}
