// The build context of the container image: everything that `deploy/Containerfile` copies.
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { serverCommand } from '../patchbay.mjs'
import { repositoryRoot } from '../run/ensure-node.mjs'
import { fetchPackage } from './runtime-packages.mjs'

const readJson = (file) => JSON.parse(readFileSync(join(repositoryRoot, file), 'utf8'))

/** Platforms of the image, with the names that Node.js and the native modules use for them. */
const platforms = { amd64: 'x64', arm64: 'arm64' }

/** The program `patchbay` of the image, with the options of Node.js that `npm start` uses. */
const program = `#!/bin/sh
exec node ${serverCommand('').slice(0, -1).join(' ')} /opt/patchbay/patchbay.mjs "$@"
`

/** The users of the image. They replace those of the base, whose programs do not run. */
const users = {
  'etc/passwd': 'root:x:0:0:root:/root:/usr/sbin/nologin\npatchbay:x:10001:10001::/data:/usr/sbin/nologin\n',
  'etc/group': 'root:x:0:\npatchbay:x:10001:\n',
}

/** Downloads the pinned Node.js for a platform, and verifies its checksum. Keeps only the program. */
function fetchNode(machine, target) {
  const { version, integrity } = readJson('scripts/run/node-version.json')
  const name = `node-linux-${machine}`
  const folder = mkdtempSync(`${target}-`)
  try {
    fetchPackage(name, { version, integrity: integrity[name] }, folder)
    renameSync(join(folder, 'bin/node'), target)
    cpSync(join(folder, 'LICENSE'), join(dirname(target), 'LICENSE'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Copies the program. The native modules are beside it, so that an image gets only the one of its platform. */
function copyRelease(release, context) {
  const modules = 'node_modules/@node-rs'
  const isNative = (path) => /\/@node-rs\/argon2-[^/]+$/.test(path)
  const guides = ['docs', 'deploy'].map((part) => join(release, part))
  const isNeeded = (path) => !isNative(path) && !guides.includes(path)
  cpSync(release, join(context, 'patchbay'), { recursive: true, filter: isNeeded })
  for (const machine of Object.values(platforms)) {
    const native = `argon2-linux-${machine}-gnu`
    cpSync(join(release, modules, native), join(context, 'native', native), { recursive: true })
  }
}

/** Writes the files that only the image has. */
function writeImageFiles(folder) {
  const files = { ...users, 'usr/local/bin/patchbay': program }
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  chmodSync(join(folder, 'usr/local/bin/patchbay'), 0o755)
  mkdirSync(join(folder, 'opt/patchbay'), { recursive: true })
  cpSync(join(repositoryRoot, 'deploy/healthcheck.mjs'), join(folder, 'opt/patchbay/healthcheck.mjs'))
}

/** Copies the Containerfile. Its labels name the version and the commit, so that no build argument is needed. */
function copyContainerfile(context, { version, commit, time }) {
  const values = { VERSION: version, REVISION: commit, CREATED: new Date(time * 1000).toISOString() }
  const text = readFileSync(join(repositoryRoot, 'deploy/Containerfile'), 'utf8')
  const filled = text.replaceAll(
    /^ARG (VERSION|REVISION|CREATED)=unknown$/gm,
    (_, name) => `ARG ${name}=${values[name]}`,
  )
  // Docker looks for a Dockerfile, Podman and Buildah for both.
  writeFileSync(join(context, 'Dockerfile'), filled)
}

/**
 * Creates the folder `image` in `target`, from a release.
 *
 * @param {string} target the folder that `createRelease` has filled
 * @param release what `createRelease` returned
 * @returns {string} the path of the folder
 * @throws {Error} if Node.js cannot be downloaded or has another checksum
 */
export function createImageContext(target, release) {
  const context = join(target, 'image')
  rmSync(context, { recursive: true, force: true })
  mkdirSync(join(context, 'node'), { recursive: true })
  copyRelease(release.folder, context)
  for (const [platform, machine] of Object.entries(platforms)) fetchNode(machine, join(context, 'node', platform))
  writeImageFiles(join(context, 'image'))
  mkdirSync(join(context, 'data'))
  copyContainerfile(context, release)
  // The permissions of files that are copied or unpacked depend on the user.
  execFileSync('chmod', ['-R', 'u=rwX,go=rX', context])
  return context
}
