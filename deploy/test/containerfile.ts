import { readFileSync } from 'node:fs'

/** Reads the parts of `deploy/Containerfile` on which the files that run the image depend. */

const containerfile = readFileSync('deploy/Containerfile', 'utf8')

const readInstruction = (pattern: RegExp): string => {
  const [, value] = pattern.exec(containerfile) ?? []
  if (value === undefined) throw new Error(`deploy/Containerfile has no instruction ${pattern}`)
  return value
}

/** The port of the console. The image serves nothing else, unless the operator says so. */
export const imagePort = Number(readInstruction(/^EXPOSE (.+)$/m))

/** The only folder that the server writes to. */
export const imageVolume: string = readInstruction(/^VOLUME (.+)$/m)

/** The user and the group of the server. */
export const imageUser: readonly number[] = readInstruction(/^USER (.+)$/m)
  .split(':')
  .map(Number)

/** The command that checks the health of the server. */
export const imageHealthcheck: readonly string[] = JSON.parse(readInstruction(/^HEALTHCHECK .*CMD (\[.+\])$/m))
