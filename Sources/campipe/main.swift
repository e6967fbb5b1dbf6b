import CampipeApp
