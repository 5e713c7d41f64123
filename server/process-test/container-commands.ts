import { existsSync, readFileSync } from 'node:fs'
import { expect } from 'vitest'

/** Checks the documented commands for containers against `deploy/Containerfile`, because no test can run Docker. */

type Arguments = readonly string[]

const containerfile = readFileSync('deploy/Containerfile', 'utf8')

const readInstruction = (name: string): string[] =>
  new RegExp(`^${name} (.+)$`, 'm').exec(containerfile)?.[1]?.split(' ') ?? []

/** Ports of the intakes, which listen inside the container only unless the settings say otherwise. */
const intakePorts = ['8086', '4318', '9060']

/** Returns the values of an option, such as `--env A=1 --env B=2`. */
const listValues = (args: Arguments, option: string): string[] =>
  args.flatMap((word, at) => (args[at - 1] === option ? [word] : []))

const checkBuild = (args: Arguments): void => {
  expect(args.at(-1)).toBe('dist/image')
  for (const platform of listValues(args, '--platform')) expect(['linux/amd64', 'linux/arm64']).toContain(platform)
}

const checkRun = (args: Arguments, checkSettings: (settings: Record<string, string>) => void): void => {
  expect(args.at(-1)).toBe('patchbay')
  const settings = listValues(args, '--env').map((entry) => entry.split('='))
  // The files of secrets do not exist here.
  const secrets = settings.flatMap(([name = '']) =>
    name.endsWith('_FILE') ? [[name.slice(0, -5), 'a'.repeat(32)]] : [],
  )
  checkSettings(Object.fromEntries([...settings, ...secrets]))
  const ports = listValues(args, '--publish').map((entry) => entry.split('/')[0]?.split(':').at(-1) ?? '')
  expect(ports.filter((port) => ![...readInstruction('EXPOSE'), ...intakePorts].includes(port))).toEqual([])
  const mounts = listValues(args, '--volume').map((entry) => entry.split(':')[1] ?? '')
  const files = settings.flatMap(([name = '', value = '']) => (name.endsWith('_FILE') ? [value] : []))
  expect(mounts.toSorted()).toEqual([...readInstruction('VOLUME'), ...files].toSorted())
}

const checkCompose = ([option, file = '', action, ...args]: Arguments): void => {
  expect(option).toBe('--file')
  expect(readFileSync(file, 'utf8')).toContain('  patchbay:')
  // Another file.
  if (action === '--file') return checkCompose([action, ...args])
  if (action === 'up') return expect(args).toEqual(['--wait'])
  expect([action, ...args]).toEqual(['logs', 'patchbay'])
}

/** Checks a command of kubectl against the files in `deploy/kubernetes`, whose contents the unit tests check. */
export const checkKubectl = (args: Arguments): void => {
  const [action, ...options] = args
  if (action === 'apply') {
    const [option, folder = ''] = options
    expect([option, existsSync(`${folder}/kustomization.yaml`)]).toEqual(['--kustomize', true])
  } else if (action === 'logs') {
    const [name = '', value = ''] = listValues(args, '--selector')[0]?.split('=') ?? []
    expect(readFileSync('deploy/kubernetes/base/deployment.yaml', 'utf8')).toContain(`        ${name}: ${value}\n`)
  } else expect([action, options[0]]).toEqual(['create', expect.stringMatching(/^(?:namespace|secret)$/)])
}

/**
 * Checks a command of Docker.
 *
 * @param checks how the test checks the settings of a server, and a command of the program `patchbay`
 */
export const checkDocker = async (
  [action, ...args]: Arguments,
  checks: {
    settings: (settings: Record<string, string>) => void
    patchbay: (args: Arguments) => Promise<void>
  },
): Promise<void> => {
  if (action === 'compose') return checkCompose(args)
  if (action === 'build') return checkBuild(args)
  if (action === 'run') return checkRun(args, checks.settings)
  if (action === 'logs') return expect(args).toEqual(['patchbay'])
  expect([action, ...args.slice(0, 2)]).toEqual(['exec', 'patchbay', 'patchbay'])
  return checks.patchbay(args.slice(2))
}
