/**
 * Whether a test runs all of its cases, and not only those of `npm test`: before a merge (`npm run test:merge`), and when
 * a file is chosen by its name.
 */
export const runsAllCases = ['merge', 'all'].includes(process.env['TEST_TIER'] ?? '')
