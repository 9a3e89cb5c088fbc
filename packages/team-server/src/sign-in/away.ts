/** The provider cannot be reached, or does not do what it should. */
export class ProviderAway extends Error {}
