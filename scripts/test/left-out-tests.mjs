// Finds the tests that cannot run without a program: those that import a module that starts it.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { listTestFiles } from './select-test-files.mjs'

/** Environment variable with the test files that a run leaves out, separated by commas. */
export const leftOutFiles = 'PATCHBAY_LEFT_OUT'

/** Returns the test files that this run leaves out. */
export const readLeftOutFiles = () => (process.env[leftOutFiles] ?? '').split(',').filter(Boolean)

/**
 * Returns the test files that start one of these programs, directly or through modules that they import.
 *
 * @param {string[]} missing programs, by their keys in `programs`
 */
export function listFilesThatNeed(root, missing) {
  const answers = new Map()
  const needsProgram = (file) => {
    const answered = answers.get(file)
    if (answered !== undefined) return answered
    // Modules can import each other.
    answers.set(file, false)
    const text = readFileSync(join(root, file), 'utf8')
    const answer =
      missing.some((key) => text.includes(`ensureProgram('${key}')`)) ||
      listTestImports(root, file, text).some((imported) => needsProgram(imported))
    answers.set(file, answer)
    return answer
  }
  return [...listTestFiles(root).values()].flat().filter((file) => needsProgram(file))
}

/** Returns the imported files of this repository except for the product, which starts none of these programs. */
function listTestImports(root, file, text) {
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, specifier]) => specifier)
  return specifiers
    .map((specifier) =>
      specifier.startsWith('.')
        ? relative(root, resolve(root, dirname(file), specifier))
        : specifier.replace(/^@patchbay\/testkit\/(.*)$/, 'testkit/src/$1.ts'),
    )
    .filter((path) => path.endsWith('.ts') && existsSync(join(root, path)))
}
