/** The results by which recent calls can be filtered. What a status says about a call is in rules/src/calls/call-result.ts. */
export const selectedResults = ['answered', 'busy', 'no answer', 'cancelled', 'failed'] as const
export type SelectedResult = (typeof selectedResults)[number]
