import { execFile, execFileSync } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { normalizeImage } from '../../../scripts/release/normalize-image.mjs'

/** Builds container images with Buildah, without a registry and without a daemon. */

/** The configuration of an image. */
export interface ImageConfiguration {
  User: string
  Env: string[]
  Entrypoint: string[]
  Cmd: string[]
  Volumes: Record<string, object>
  ExposedPorts: Record<string, object>
  Labels: Record<string, string>
  Healthcheck: { Test: string[] }
}

/** An image, and its files in a folder of this machine. */
export interface BuiltImage {
  root: string
  architecture: string
  /** SHA-256 of its manifest as it is published, which is the same for the same bytes. */
  digest: string
  config: ImageConfiguration
}

export interface ImageBuilder {
  /** Builds an image for a platform, such as `arm64`. */
  build(context: string, architecture: string): Promise<BuiltImage>
  /** Removes all images. */
  remove(): void
}

const buildah = process.env['BUILDAH_PATH']
const mmdebstrap = process.env['MMDEBSTRAP_PATH']

/** Whether this machine can build and run images. `npm run test:release` finds the programs, and requires them in CI. */
export const canBuildImages = buildah !== undefined && mmdebstrap !== undefined

/** Files that the slim images of Debian do not have either. */
const excluded = ['/usr/share/doc/*', '/usr/share/locale/*', '/usr/share/man/*']

/** The packages of Debian's slim image that matter here: those that are essential, and the one that Node.js needs. */
const baseVariants: Readonly<Record<string, string[]>> = {
  amd64: ['--variant=essential', '--include=libstdc++6'],
  // The packages are unpacked only, because their programs do not run on this machine.
  arm64: ['--variant=extract', '--architectures=arm64', '--include=base-files,dash,libstdc++6'],
}

/** Stands for the image of Node.js, from which the build takes a library that the base lacks. */
const libraryVariant = (architecture: string): string[] => [
  '--variant=extract',
  `--architectures=${architecture}`,
  '--include=libatomic1',
]

/**
 * Creates a builder with bases that are made of packages of Debian.
 * @param time of the release in seconds since the Unix epoch, which all files of the image get
 */
export const createImageBuilder = (time: number): ImageBuilder => {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-images-'))
  const storage = ['--storage-driver', 'vfs', '--root', join(folder, 'storage'), '--runroot', join(folder, 'run')]
  const run = async (...args: string[]): Promise<string> =>
    (await promisify(execFile)(buildah ?? '', [...storage, ...args], { maxBuffer: 64 * 1024 ** 2 })).stdout.trim()

  /** Creates an image of packages. Returns its name. */
  const createDebian = async (name: string, architecture: string, variant: string[]): Promise<string> => {
    const image = `localhost/${name}-${architecture}`
    const archive = join(folder, `${name}-${architecture}.tar`)
    const options = excluded.map((path) => `--dpkgopt=path-exclude=${path}`)
    await promisify(execFile)(mmdebstrap ?? '', ['--quiet', ...variant, ...options, 'trixie', archive])
    const container = await run('from', '--arch', architecture, 'scratch')
    await run('add', '--quiet', container, archive, '/')
    await run('config', '--arch', architecture, container)
    await run('commit', '--quiet', '--rm', container, image)
    return image
  }

  const createBases = async (architecture: string): Promise<readonly [string, string]> => [
    await createDebian('debian', architecture, baseVariants[architecture] ?? []),
    await createDebian('libraries', architecture, libraryVariant(architecture)),
  ]
  /** Images with the same bytes have the same bases. */
  const basesByArchitecture = new Map<string, ReturnType<typeof createBases>>()

  return {
    build: async (context, architecture) => {
      if (!basesByArchitecture.has(architecture)) basesByArchitecture.set(architecture, createBases(architecture))
      const [base, libraries] = (await basesByArchitecture.get(architecture)) ?? []
      const name = `localhost/patchbay-${architecture}`
      const platform = ['--platform', `linux/${architecture}`]
      // The format of OCI has no health checks.
      const options = ['--isolation', 'chroot', '--format', 'docker', '--pull-never', '--timestamp', String(time)]
      const bases = ['--build-arg', `BASE=${base}`, '--build-arg', `LIBRARIES=${libraries}`]
      await run('build', ...options, ...bases, ...platform, '--tag', name, context)
      const { Docker } = JSON.parse(await run('inspect', '--type', 'image', name)) as {
        Docker: { architecture: string; config: ImageConfiguration }
      }
      const pushed = mkdtempSync(join(folder, 'pushed-'))
      await run('push', '--quiet', name, `dir:${pushed}`)
      const container = await run('from', '--pull-never', ...platform, name)
      return { root: await run('mount', container), digest: normalizeImage(pushed), ...Docker }
    },
    remove: () => rmSync(folder, { recursive: true }),
  }
}

/** Creates a folder that a container can use as its volume. */
export const createVolume = (image: BuiltImage): string => {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-volume-'))
  const [user, group] = image.config.User.split(':').map(Number)
  chownSync(folder, user ?? 0, group ?? 0)
  return folder
}

/** Returns the environment of an image. */
export const readImageEnvironment = ({ config }: BuiltImage): Record<string, string> =>
  Object.fromEntries(config.Env.map((entry) => [entry.split('=')[0] ?? '', entry.split('=').slice(1).join('=')]))

/**
 * Returns the arguments of `unshare` that run a command of an image as a container engine does: as process 1, with a
 * read-only root, as the user of the image, and without further privileges. The network is that of this machine.
 *
 * @param volume the folder that is mounted at the only volume of the image
 */
export const containerArguments = ({ root, config }: BuiltImage, volume: string, command: string[]): string[] => {
  const target = join(root, Object.keys(config.Volumes)[0] ?? '')
  const steps = [
    'mount --bind "$1" "$1"',
    'mount --bind "$2" "$3"',
    'mount -t proc proc "$1/proc"',
    'mount --rbind /dev "$1/dev"',
    'mount -o remount,bind,ro "$1"',
    'root=$1 user=$4',
    'shift 4',
    'exec setpriv --no-new-privs chroot --userspec="$user" --groups= "$root" "$@"',
  ]
  const isolation = ['--mount', '--pid', '--fork', '--kill-child']
  return [...isolation, 'sh', '-euc', steps.join('\n'), 'sh', root, volume, target, config.User, ...command]
}

/** Returns the process that is process 1 of a container, as this machine sees it. */
export const findContainerProcess = (unshare: number): number =>
  Number(execFileSync('pgrep', ['--parent', String(unshare)], { encoding: 'utf8' }).trim())

/** The exit code and the output of a command. */
export interface CommandResult {
  code: number
  output: string
}

/** Runs a command in a running container, as its user. */
export const runInContainer = (
  pid: number,
  { config }: BuiltImage,
  command: string[],
  env: Record<string, string>,
): Promise<CommandResult> => {
  const [user = '', group = ''] = config.User.split(':')
  const args = ['--target', String(pid), '--mount', '--pid', '--root', '--setuid', user, '--setgid', group]
  return new Promise((resolve) => {
    execFile('nsenter', [...args, ...command], { env }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, output: stdout + stderr }),
    )
  })
}
