// Checks commit subjects: Conventional Commits 1.0.0 with at most 72 characters.
//
//   node scripts/checks/commits.mjs         all commits since this rule was introduced (CI)
//   node scripts/checks/commits.mjs FILE    the message in a file (the hook .githooks/commit-msg)
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const introducedAt = '2026-11-24T00:00:00Z'
const maxLength = 72
const types = ['feat', 'fix', 'perf', 'refactor', 'docs', 'test', 'build', 'ci', 'chore', 'style', 'revert']
const pattern = new RegExp(String.raw`^(?:${types.join('|')})(?:\([a-z0-9./-]+\))?!?: \S`)

/** Returns what is wrong with a commit subject, or undefined. Subjects that Git generates are accepted. */
export const validateSubject = (subject) => {
  if (/^(?:Merge |Revert "|fixup! |squash! )/.test(subject)) return undefined
  if (!pattern.test(subject)) return `must be \`type(scope): summary\`, with one of the types ${types.join(', ')}`
  if (subject.length > maxLength) return `has ${subject.length} characters, at most ${maxLength} are allowed`
  return undefined
}

const readSubjects = (file) => {
  if (file !== undefined) return [readFileSync(file, 'utf8').split('\n')[0] ?? '']
  try {
    const log = execFileSync('git', ['log', '--no-merges', `--since=${introducedAt}`, '--format=%s'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return log.split('\n').filter(Boolean)
  } catch {
    // A source archive has no history.
    return []
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const subject of readSubjects(process.argv[2])) {
    const problem = validateSubject(subject)
    if (problem === undefined) continue
    console.error(`The commit subject "${subject}" ${problem}.`)
    process.exitCode = 1
  }
