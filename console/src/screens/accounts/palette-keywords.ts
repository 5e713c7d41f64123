export const paletteKeywords = {
  '/internal/accounts': 'tenants customers subaccounts api keys tokens webhook secret recording storage limits',
  '/internal/accounts/$account_sid/edit': 'tenant api keys tokens webhook secret recording storage limits',
}
