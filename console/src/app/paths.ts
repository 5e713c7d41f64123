/** Every address of the console. */
export const paths = {
  signIn: '/',
  createPassword: '/create-password',
  accounts: '/internal/accounts',
  addAccount: '/internal/accounts/add',
  editAccount: '/internal/accounts/$account_sid/edit',
  recentCalls: '/internal/recent-calls',
} as const
