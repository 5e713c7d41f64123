export const systemInformationLengths = {
  domain_name: 255,
  sip_domain_name: 255,
  monitoring_domain_name: 255,
  private_network_cidr: 8192,
} as const
