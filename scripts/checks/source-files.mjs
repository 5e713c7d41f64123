import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'

// Finds, reads, and parses the source files for the checks in this folder.

const gitArguments = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']

/**
 * Returns the files below the given folders of a repository, or all if none are given. New files are included, and files
 * that git ignores are not.
 *
 * @param {string} root the folder that the returned paths are relative to
 */
export const listFiles = (root, folders = []) =>
  execFileSync('git', [...gitArguments, ...folders], { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(root, file)))
    // Git lists new files before the others.
    .sort()

export const isSource = (file) => /\.(tsx?|m?js)$/.test(file)

/** Returns the TypeScript files below the given folders that are part of the product: no tests and no declarations. */
export const listProductFiles = (root, folders) =>
  listFiles(root, folders).filter((file) => /\.tsx?$/.test(file) && !/\.(test|d)\.tsx?$/.test(file))

export const readSource = (root, file) => readFileSync(join(root, file), 'utf8')

/**
 * Parses a source file into its syntax tree (`program`), its `comments`, and the imports and exports of its `module`.
 *
 * @throws {Error} if the file has a syntax error
 */
export const parseSource = (file, text) => {
  const parsed = parseSync(file, text)
  if (parsed.errors.length > 0) throw new Error(`${file} cannot be parsed: ${parsed.errors[0].message}`)
  return parsed
}

/** Returns the line of an offset. The first line is 1. */
export const getLine = (text, offset) => text.slice(0, offset).split('\n').length

/** Prints what a check has found, and makes the process fail if that is anything. */
export const reportProblems = (problems) => {
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
}
