/** Limits and fixed values of reviews, for the server and the console. */

/** Scores from 1 (bad) to 5 (good). */
export const reviewScores = [1, 2, 3, 4, 5] as const
export type ReviewScore = (typeof reviewScores)[number]

/** Why a call is to be reviewed. `manual`: a user has assigned or reviewed it although no rule selects it. */
export const reviewReasons = ['slow', 'interrupted', 'failed', 'random', 'manual'] as const
export type ReviewReason = (typeof reviewReasons)[number]

export const reviewStates = ['to_review', 'reviewed'] as const
export type ReviewState = (typeof reviewStates)[number]

export const reviewLimits = {
  criteria: 20,
  criterion: 64,
  description: 256,
  /** Labels that a provider suggests. */
  suggestedLabels: 50,
  /** Labels of a review. */
  labels: 10,
  label: 40,
  note: 4000,
} as const

/** Range of the response gap, in milliseconds, from which a call is selected as slow. */
export const slowRange = [100, 60_000] as const

/** Limits of the language model that checks calls. */
export const reviewModelLimits = {
  url: 512,
  model: 128,
  apiKey: 512,
  instructions: 4000,
  dailyLimit: 100_000,
  defaultDailyLimit: 100,
} as const
