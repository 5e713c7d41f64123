import { type PasswordPolicy, passwordDemand, passwordFaults } from '@patchbay/contract/rules/passwords'

/** What a policy has to say of a password while it is typed. */
export const policyHint =
  (policy: PasswordPolicy) =>
  (password: string): string | undefined => {
    const demands = passwordFaults(password, policy).map((fault) => passwordDemand(fault, policy).toLowerCase())
    return demands.length === 0 ? undefined : `Password must: ${demands.join(', ')}.`
  }
