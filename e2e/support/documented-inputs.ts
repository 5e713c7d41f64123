import { readFileSync } from 'node:fs'
import { expect } from '@playwright/test'
import type { CountedUser, InputCounts } from './count-inputs.ts'

/** The clicks and fields of each job of a first user, which docs/explanation/first-user-jobs.md states. */

const page = readFileSync(new URL('../../docs/explanation/first-user-jobs.md', import.meta.url), 'utf8')

const readInputs = (job: string): InputCounts => {
  const row = page.split('\n').find((line) => line.startsWith(`| ${job} |`))
  if (row === undefined) throw new Error(`The page of the jobs of a first user has no row '${job}'`)
  const [, , clicks, fields] = row.split('|')
  return { clicks: Number(clicks), fields: Number(fields) }
}

/** Expects that the user needed exactly the clicks and fields that the documentation states for a job. */
export const expectDocumentedInputs = (user: CountedUser, job: string): void =>
  expect(user.count(), `clicks and fields of: ${job}`).toEqual(readInputs(job))
